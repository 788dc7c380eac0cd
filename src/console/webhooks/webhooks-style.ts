// The style and the script of the pages of webhooks, in addition to those of all pages.

import { pageFile } from '../../http/pages/document.ts'
import { readSourceFile } from '../../lib/source-files.ts'
import { COPY_SCRIPT } from '../shell/copyable.ts'

export const WEBHOOK_FILES = [pageFile('webhooks', 'css', readSourceFile('webhooks.css', import.meta)), COPY_SCRIPT]
