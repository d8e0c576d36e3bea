"""Commands that learn the shipped models: corpus, infiller, classifiers."""
