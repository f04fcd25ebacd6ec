"""What people type and send becomes checked values: parameters, fields, moves, records; or a line says why not."""
