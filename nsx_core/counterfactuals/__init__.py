"""Four published ways to the smallest change that flips a prediction, and the smallest keep.

Wachter et al. 2017 (wachter-etal-2017), Martens and Provost 2014 (martens-provost-2014), Growing
Spheres (laugel-etal-2017) and Anchors (ribeiro-etal-2018), on texts, and the first and the third
on numeric features too. Pure: a method asks for texts (``asking``) and is told probabilities;
``nsx_core.counterfactual_search`` writes and judges them.
"""
