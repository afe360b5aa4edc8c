SELECT :columns FROM :table
