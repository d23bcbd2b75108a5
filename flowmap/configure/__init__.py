"""What assumptions decide: tests of the subject, evaluated in the solved world."""
