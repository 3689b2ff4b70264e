/** Text as it may stand in XML and HTML; characters that neither allows are dropped. */
export const escapeXml = (text: string): string =>
  text
    // eslint-disable-next-line no-control-regex -- exactly the characters that XML 1.0 forbids
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;")
