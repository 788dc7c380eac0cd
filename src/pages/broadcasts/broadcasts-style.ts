// The styles and the script of the pages of broadcasts, in addition to those of all pages.
import { readSourceFile } from '../../lib/source-files.ts'
import { FIT, FRAMED_STYLE } from '../frame/framed.ts'
import { pageFile } from '../shell/page-files.ts'

export const BROADCAST_FILES = [pageFile('broadcasts', 'css', FRAMED_STYLE + readSourceFile('broadcasts.css', import.meta)), FIT]
