// The style of the pages of broadcasts, in addition to that of all pages and of those that show an email.
import { readSourceFile } from '../../lib/source-files.ts'
import { FIT } from '../emails/emails-style.ts'
import { FRAME_STYLE } from '../frame/email-frame.ts'
import { pageFile } from '../shell/page-files.ts'

export const BROADCAST_FILES = [pageFile('broadcasts', 'css', FRAME_STYLE + readSourceFile('broadcasts.css', import.meta)), FIT]
