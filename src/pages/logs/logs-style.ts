import { readSourceFile } from '../../lib/source-files.ts'
import { pageFile } from '../shell/page-files.ts'

export const LOGS_STYLE = pageFile('logs', 'css', readSourceFile('logs.css', import.meta))
