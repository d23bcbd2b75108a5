"""Reports: a question put to an index, answered as a finished View. One file a report; no markup of any format."""
