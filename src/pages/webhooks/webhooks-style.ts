// The style and the script of the pages of webhooks, in addition to those of all pages.
import { readSourceFile } from '../../lib/source-files.ts'
import { COPY_SCRIPT } from '../shell/copyable.ts'
import { pageFile } from '../shell/page-files.ts'

export const WEBHOOK_FILES = [pageFile('webhooks', 'css', readSourceFile('webhooks.css', import.meta)), COPY_SCRIPT]
