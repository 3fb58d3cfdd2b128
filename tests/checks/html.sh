# SPDX-License-Identifier: MIT
# The page of a recording in a browser without a window: that it is right, works, and asks for nothing.
. tests/lab/check.sh
scratch
make_page="build/$(uname -m)/tests/unit/test_html"

# A short recording, one of 100,000 events, and one of which only a part is drawn.
pages() { "$make_page" "$folder/short" 400 && "$make_page" "$folder/long" 34000 && "$make_page" "$folder/part" 8000 3000; }
check "pages of recordings are written" pages
# One that ends in the middle of a block, and one of nothing.
others() {
	head -c $(($(stat -c %s "$folder/short.rlog") * 2 / 3)) "$folder/short.rlog" > "$folder/cut.rlog"
	"$make_page" "$folder/cut" - && "$make_page" "$folder/empty" 0
}
check "pages of a damaged and of an empty recording are written" others
# One of which much is missing: its facts say so, which the page's policy does not cover.
sed 's/^"missing":0,/"missing":1234,/; s/^"crowded":0,/"crowded":3,/; s/^"sizeless":0,/"sizeless":1,/' "$folder/short_results.html" > "$folder/missing_results.html"
convert() { "build/$(uname -m)/roclatch" convert -d "$folder" "$@"; }
converted() { convert -f html -o converted "$folder/short.rlog" && cmp "$folder/short_results.html" "$folder/converted_results.html"; }
check "roclatch convert writes the same page" converted
database() { convert -f rocpd -o short "$folder/short.rlog" && convert -f html -o database "$folder/short_results.db"; }
check "a database has a page too" database
# As one of AMD's tool, which does not tell.
sed 's/^"saysHowItEnded":true,/"saysHowItEnded":false,/' "$folder/database_results.html" > "$folder/foreign_results.html"
outside() { grep -aE 'https?://|//[a-z0-9-]+\.[a-z]|@import|url\(' "$folder/short_results.html"; }
check "the page names nothing outside of itself" denies outside
python3 tests/checks/html_page.py "$folder" || echo "not ok the browser was driven to the end"
