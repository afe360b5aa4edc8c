"""An execution queue in RabbitMQ."""
