#include "CBenchFloor.h"
