import { pageFile } from '../../http/pages/document.ts'
import { readSourceFile } from '../../lib/source-files.ts'

/** Added to the style of all pages. */
export const AUTOMATIONS_STYLE = pageFile('automations', 'css', readSourceFile('automations.css', import.meta))
