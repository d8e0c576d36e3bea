"""Records turned into pictures, sentences and files; no Streamlit, no models.

Whatever a person or a corpus wrote becomes text nodes or escaped HTML here, never markup.
"""
