"""What is private in a text: rules as data (rules.yaml), small validators beside."""
