-- Made after the rows are in: loading is several times faster that way.
CREATE UNIQUE INDEX file_path ON file (path);
CREATE INDEX file_module ON file (module);
CREATE INDEX symbol_text ON symbol (text);
CREATE INDEX symbol_name ON symbol (name, text);
CREATE INDEX symbol_place ON symbol (file, line);
CREATE INDEX symbol_owner ON symbol (owner);
CREATE INDEX site_caller ON site (caller);
CREATE INDEX site_place ON site (file, line);
CREATE INDEX target_symbol ON target (symbol);
CREATE INDEX made_class ON made (class);
CREATE INDEX class_order_symbol ON class_order (symbol);
CREATE INDEX member_symbol ON member (symbol);
CREATE INDEX assigned_class ON assigned (class, name);
CREATE INDEX assigned_name ON assigned (name);
CREATE INDEX import_file ON import (file);
CREATE INDEX import_target ON import (target);
CREATE INDEX table_row_file ON table_row (file);
CREATE INDEX pruned_symbol ON pruned (symbol);
