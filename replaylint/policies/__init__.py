"""What the user asks for: the options, and the policies that they ask for, each applied to the report in its turn."""
