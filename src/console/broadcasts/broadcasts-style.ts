// The styles and the script of the pages of broadcasts, in addition to those of all pages.

import { pageFile } from '../../http/pages/document.ts'
import { readSourceFile } from '../../lib/source-files.ts'
import { FIT, FRAMED_STYLE } from '../../modules/sharing/frame/email-frame.ts'

export const BROADCAST_FILES = [pageFile('broadcasts', 'css', FRAMED_STYLE + readSourceFile('broadcasts.css', import.meta)), FIT]
