"""How a source transformation writes its edits, in the style of the text around them."""
