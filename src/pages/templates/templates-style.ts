// The styles and the script of the pages of templates, in addition to those of all pages.
import { readSourceFile } from '../../lib/source-files.ts'
import { FIT, FRAMED_STYLE } from '../frame/framed.ts'
import { pageFile } from '../shell/page-files.ts'

export const TEMPLATE_FILES = [pageFile('templates', 'css', FRAMED_STYLE + readSourceFile('templates.css', import.meta)), FIT]
