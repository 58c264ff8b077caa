"""trace-tui: review an LLM judge's sentence labels of RAG answers, and measure how far it can be trusted."""

__version__ = "0.1.0"
