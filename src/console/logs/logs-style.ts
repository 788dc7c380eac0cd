import { pageFile } from '../../http/pages/document.ts'
import { readSourceFile } from '../../lib/source-files.ts'

export const LOGS_STYLE = pageFile('logs', 'css', readSourceFile('logs.css', import.meta))
