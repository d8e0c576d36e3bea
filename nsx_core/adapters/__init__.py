"""The only rooms that import torch, transformers and peft. Import them lazily."""
