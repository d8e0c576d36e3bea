def write_card(folder):
    return folder / "README.md"
