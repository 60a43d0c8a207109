"""What a message means, whatever a replay makes of it: methods, variants, directions, requests, connections."""
