"""From what a person typed to a plan, and the plan carried out."""
