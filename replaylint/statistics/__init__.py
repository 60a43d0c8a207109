"""Statistics over many resumes."""
