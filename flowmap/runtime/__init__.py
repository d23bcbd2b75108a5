"""What a program's run says about its calls. The only room that runs anything, and it runs what the user names."""
