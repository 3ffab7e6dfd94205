-- Rows of compact_extents stay inside the table up to half a page, not a quarter: the servers divide short
-- streams into rows that fill its pages, and in TOAST the last piece of each leaves room in which nothing fits.
-- What is stored stays where it is. Neither readers nor writers wait for this.
ALTER TABLE compact_extents SET (toast_tuple_target = 4080);
