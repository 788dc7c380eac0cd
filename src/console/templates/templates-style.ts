// The styles and the script of the pages of templates, in addition to those of all pages.

import { pageFile } from '../../http/pages/document.ts'
import { readSourceFile } from '../../lib/source-files.ts'
import { FIT, FRAMED_STYLE } from '../../modules/sharing/frame/email-frame.ts'

export const TEMPLATE_FILES = [pageFile('templates', 'css', FRAMED_STYLE + readSourceFile('templates.css', import.meta)), FIT]
