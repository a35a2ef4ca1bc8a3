"""What each stage does with a batch; how it never loses or doubles a record is streams.transactional."""
