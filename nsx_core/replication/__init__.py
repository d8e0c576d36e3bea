"""The experiment of balkir-etal-2022 on the shipped classifiers, written down beside the paper.

``printed`` holds figures that the paper prints, ``page`` writes docs/replication.md, and
``python -m nsx_core.replication`` (or `make replication`) runs the audit and writes the page.
"""
