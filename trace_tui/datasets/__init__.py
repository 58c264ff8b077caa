"""Files of records: readers, writers and the splitting of text into sentences."""
