/** esbuild gives the text of the file. */
declare module "*.svg" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: it stands for a file, which has no names
  export default text;
}
