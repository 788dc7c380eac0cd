// The styles and the script of the pages of domains, in addition to those of all pages.

import { pageFile } from '../../http/pages/document.ts'
import { readSourceFile } from '../../lib/source-files.ts'
import { COPY_SCRIPT } from '../shell/copyable.ts'

export const DOMAIN_FILES = [pageFile('domains', 'css', readSourceFile('domains.css', import.meta)), COPY_SCRIPT]
