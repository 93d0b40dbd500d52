"""What leaves the app as a file: slides, workbook, report, tables, code of the link."""
