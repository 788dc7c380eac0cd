// The style of the page of suppressions, in addition to that of all pages.

import { pageFile } from '../../http/pages/document.ts'
import { readSourceFile } from '../../lib/source-files.ts'

export const SUPPRESSIONS_STYLE = pageFile('suppressions', 'css', readSourceFile('suppressions.css', import.meta))
