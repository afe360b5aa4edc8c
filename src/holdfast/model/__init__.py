"""The words of Holdfast as values: ids, instants, events, commands, records, requests, errors."""
