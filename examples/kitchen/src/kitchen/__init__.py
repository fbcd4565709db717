"""Recipes and a shopping list: an example of documented functions as tools."""
