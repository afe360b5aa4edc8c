SELECT :columns FROM holdfast.:table
