import { readSourceFile } from '../../lib/source-files.ts'
import { pageFile } from '../shell/page-files.ts'

/** Added to the style of all pages. */
export const AUTOMATIONS_STYLE = pageFile('automations', 'css', readSourceFile('automations.css', import.meta))
