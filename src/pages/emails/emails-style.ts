// The styles and the script of the pages of emails, in addition to those of all pages.
import { readSourceFile } from '../../lib/source-files.ts'
import { FIT_SCRIPT, FRAME_STYLE } from '../frame/email-frame.ts'
import { pageFile } from '../shell/page-files.ts'

export const EMAILS_STYLE = pageFile('emails', 'css', FRAME_STYLE + readSourceFile('emails.css', import.meta))
export const FIT = pageFile('fit', 'js', FIT_SCRIPT)

export const EMAIL_FILES = [EMAILS_STYLE, FIT]
