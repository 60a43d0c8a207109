"""Figures over many resumes."""
