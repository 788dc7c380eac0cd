// The style of the pages of contacts, segments, topics and imports, in addition to those of all pages.

import { pageFile } from '../../http/pages/document.ts'
import { readSourceFile } from '../../lib/source-files.ts'

export const AUDIENCE_STYLE = pageFile('audience', 'css', readSourceFile('audience.css', import.meta))
