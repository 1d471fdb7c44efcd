// No declarations: the programs link this target for its definitions alone. See ProgramStart.c.
