"""The thinking: pure. No Kafka, SQL, HTTP, clock or randomness."""
