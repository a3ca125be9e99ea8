package wire

// endUnary judges a unary answer whose body is whole.
func (r *Reader) endUnary() {}
