// The styles and the script of the pages of emails, in addition to those of all pages.

import { pageFile } from '../../http/pages/document.ts'
import { readSourceFile } from '../../lib/source-files.ts'
import { FIT, FRAMED_STYLE } from '../../modules/sharing/frame/email-frame.ts'
import { COPY_SCRIPT } from '../shell/copyable.ts'

export const EMAILS_STYLE = pageFile('emails', 'css', FRAMED_STYLE + readSourceFile('emails.css', import.meta))

export const EMAIL_FILES = [EMAILS_STYLE, FIT, COPY_SCRIPT]
